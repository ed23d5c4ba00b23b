import { createStore } from '../../session/store.ts'

export const densities = ['compact', 'comfortable'] as const
export type Density = (typeof densities)[number]
const key = 'muster.density'
const chosen = createStore<Density>(densities.find((each) => each === localStorage.getItem(key)) ?? 'compact')

export function chooseDensity(density: Density): void {
  localStorage.setItem(key, density)
  chosen.set(density)
}

/** How high the rows of tables are. */
export const useDensity = chosen.use
