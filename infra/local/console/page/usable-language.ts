// Bundled before all else. A browser may report a language that `Intl` refuses, such as `en-US@posix` in a
// container, and the charts hand it over while they load.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' });
}
