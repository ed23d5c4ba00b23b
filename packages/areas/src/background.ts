// What an area does in workers. It is a value of its own, so that workers load no handlers.
import type { Job } from './job.ts'

export interface Background {
  readonly jobs: readonly Job[]
}

export const background = (declared: Background): Background => declared
