import { serveApp } from '../embedded/http-server.ts';
import { makeConsoleApp } from './server/app.ts';
import { ConsoleSession, type FollowedSession } from './session/console-session.ts';
import { readPage } from '#parts';

export interface ConsoleOptions extends FollowedSession {
  /** A free one replaces it if it is taken. */
  readonly port: number;
}

/** The web console, which follows a session of the local stack. */
export type RunningConsole = Awaited<ReturnType<typeof startConsole>>;

/** Starts the console on loopback. It shows that the stack is starting until it is attached. */
export async function startConsole({ port, ...followed }: ConsoleOptions) {
  const session = new ConsoleSession(followed);
  const files = readPage();
  // Each request for the page shows the error; without one nobody needs to know.
  files.catch(() => undefined);
  const listening = await serveApp(makeConsoleApp(session, files), port);
  return {
    url: listening.url,
    session,
    /** Closes it, before the stack. */
    close: async () => {
      await session.detach();
      await listening.close();
    },
  };
}
