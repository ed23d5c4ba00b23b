// The stage on which gates try every operation: one partner with one thing of each kind. Each area creates its things
// in its `area.stage.ts`.
import type { Subject } from '@muster/areas/examples.ts'
import type { World } from './world.ts'

export type Level = Exclude<Subject, 'own' | 'foreign'>
export const levels: readonly Level[] = ['partner', 'organization', 'site', 'device']
/** A marker of each level. Names contain the marker of their level, so that leaks in responses are detected. */
export type Marks = Readonly<Record<Level, string>>

export interface Setting {
  readonly world: World
  readonly marks: Marks
}

/** The things of one area, created once for each stage at the first use. */
export function stagePart<Things>(make: (setting: Setting) => Promise<Things>) {
  const made = new WeakMap<Setting, Promise<Things>>()
  return (setting: Setting): Promise<Things> => {
    const known = made.get(setting) ?? make(setting)
    made.set(setting, known)
    return known
  }
}
