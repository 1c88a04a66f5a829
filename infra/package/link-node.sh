#!/bin/sh
# Puts Lambda's Node.js first on the path of the npm scripts. npm 10 does not link it, since the
# package of the other processor has a program of the same name.
cd "$(dirname "$0")/../../node_modules/.bin" || exit 1
for program in ../node-linux-*/bin/node; do
  # It does not run on the other processor, nor on Linux without glibc, such as Alpine.
  if "$program" --version >/dev/null 2>&1; then ln -sf "$program" node; fi
done

# There and on other platforms the scripts run on the Node.js of the host.
PATH="$PWD:$PATH" node -e '
  if (parseInt(process.version.slice(1)) < 24) {
    console.error(`Node.js is ${process.version}; allowed: v24 or newer`);
    process.exit(1);
  }
'
