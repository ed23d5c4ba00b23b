// What an area does in workers. It is separate from the area's own value, so that workers load no handlers.
import type { Arrival } from './arrival.ts'
import type { Counter } from './counter.ts'
import type { Job } from './job.ts'
import type { Outcome } from './outcome.ts'
import type { RecordStore } from './record.ts'

export interface Background {
  readonly jobs?: readonly Job[]
  readonly records?: readonly RecordStore[]
  readonly outcomes?: readonly Outcome[]
  readonly arrivals?: readonly Arrival[]
  readonly counters?: readonly Counter[]
}

export const background = (declared: Background): Background => declared
