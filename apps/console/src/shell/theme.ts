import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]
const key = 'muster.theme'
const listeners = new Set<() => void>()

const kept = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system'

/** Applies what was chosen before; called once, before anything is drawn. */
export function applyTheme(theme: Theme = kept()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
  for (const tell of listeners) tell()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, kept)
