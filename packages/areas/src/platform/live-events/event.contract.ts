import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** What live events are about: the field that identifies it, and that field with those that say where it belongs. */
export interface Subject<Fields extends z.ZodRawShape = z.ZodRawShape> {
  readonly id: string
  readonly fields: Fields
}

export const subject = <Fields extends z.ZodRawShape>(idField: keyof Fields & string, fields: Fields) => ({
  id: idField,
  fields,
})

export const device = subject('deviceId', { orgId: id(), siteId: id().nullable(), deviceId: id() })

interface EventOptions {
  /** A newer event about the same subject replaces one that a watcher has not taken yet. */
  readonly newestOnly?: boolean
}

/** Declares a live event. `at` is the time at which it happened, in milliseconds since 1970. */
export const event = <Name extends string, Place extends z.ZodRawShape, Fields extends z.ZodRawShape>(
  name: Name,
  about: Subject<Place>,
  fields: Fields,
  { newestOnly = false }: EventOptions = {},
) => ({
  name,
  subject: about,
  newestOnly,
  schema: z.object({ type: z.literal(name), ...about.fields, at: z.number(), ...fields }),
})

/** Any declared live event. */
export interface EventKind {
  readonly name: string
  readonly subject: Subject
  readonly newestOnly: boolean
  readonly schema: z.ZodType
}
