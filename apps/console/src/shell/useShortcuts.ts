import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useScreens } from './areas.ts'

const chordMs = 1_200

const box = 'input[type="checkbox"]'
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !target.matches(box)) ||
    target.closest('[role="dialog"]') !== null)

/** The keys that work on all screens: `/`, `j`, `k`, `x`, `?`, Ctrl-K and `g` with a letter. */
export function useShortcuts({ palette, help }: { palette(): void; help(): void }): void {
  const navigate = useNavigate()
  const screens = useScreens()
  const begun = useRef(0)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      return palette()
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const chord = Date.now() - begun.current < chordMs ? `g ${event.key}` : null
    begun.current = 0
    const screen = chord && screens.find(({ keys }) => keys === chord)
    if (screen) {
      event.preventDefault()
      return void navigate({ to: screen.path })
    }
    if (event.key === 'g') begun.current = Date.now()
    else if (event.key === '?') help()
    else if (event.key === '/') {
      const field = document.querySelector<HTMLInputElement>('main input[type="search"]')
      if (!field) return
      event.preventDefault()
      field.focus()
      field.select()
    } else if (event.key === 'j' || event.key === 'k') moveInList(event.key === 'j' ? 1 : -1)
    else if (event.key === 'x') currentRow()?.querySelector<HTMLElement>(box)?.click()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

const currentRow = () => document.activeElement?.closest('[data-row]') ?? null

/** Focuses the first row of the list. @returns false when the screen has no list */
export function focusList(): boolean {
  moveInList(1)
  return currentRow() !== null
}

function moveInList(step: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].sort(
    (one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex),
  )
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[at < 0 ? 0 : at + step]
  row?.querySelector<HTMLElement>('a, button')?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}
