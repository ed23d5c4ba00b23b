import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]
const key = 'muster.theme'
const listeners = new Set<() => void>()

const stored = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system'

/** Applies the stored theme. Called once, before anything is drawn. */
export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
  for (const notify of listeners) notify()
}

const prefersDark = window.matchMedia('(prefers-color-scheme: dark)')
function subscribe(notify: () => void) {
  listeners.add(notify)
  prefersDark.addEventListener('change', notify)
  return () => {
    listeners.delete(notify)
    prefersDark.removeEventListener('change', notify)
  }
}

/** The user's choice. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, stored)

/** The colors on the screen, which follow the operating system where the user has not chosen. */
export const useAppearance = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribe, () => {
    const theme = stored()
    if (theme !== 'system') return theme
    return prefersDark.matches ? 'dark' : 'light'
  })
