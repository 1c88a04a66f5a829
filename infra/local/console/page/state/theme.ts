import { computed, effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'sitecast-theme';

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'auto';
}

/** The colours of the page: the system's, or those of one choice. */
export const theme = signal<Theme>(stored());

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(systemIsDark.matches);
systemIsDark.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});

/** The colours that are shown. */
export const shownTheme = computed(() => {
  if (theme.value !== 'auto') return theme.value;
  return isSystemDark.value ? 'dark' : 'light';
});

effect(() => {
  localStorage.setItem(KEY, theme.value);
  document.documentElement.style.colorScheme = theme.value === 'auto' ? '' : theme.value;
});
