// Inputs refuse the fields that they do not declare. Schemas are written as plain `z.object`; this makes the strict ones.
import { z } from 'zod'

type Def = Record<string, unknown> & { type: string }
const isSchema = (value: unknown): value is z.core.$ZodType => value instanceof z.core.$ZodType

/** Where schemas keep the schemas that they are made of. */
const parts = ['innerType', 'element', 'valueType', 'left', 'right', 'in', 'out', 'rest', 'options', 'items'] as const

function strictPart(part: unknown): unknown {
  if (isSchema(part)) return strictSchema(part)
  return Array.isArray(part) ? part.map(strictPart) : part
}

const made = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/**
 * The same schema with every declared object strict, at every depth. Objects that say what else they take (`looseObject`,
 * `catchall`) and free-form records stay as they are.
 */
export function strictSchema<T extends z.core.$ZodType>(schema: T): T {
  // Schemas that hold themselves must come to an end.
  const known = made.get(schema) ?? strictCopy(schema)
  made.set(schema, known)
  return known as T
}

function strictCopy(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as unknown as Def
  const changed: Record<string, unknown> = {}
  for (const name of parts) {
    const strict = strictPart(def[name])
    if (strict !== def[name]) changed[name] = strict
  }
  if (def.type === 'object') {
    const shape = Object.entries(def.shape as Record<string, z.core.$ZodType>)
    changed.shape = Object.fromEntries(shape.map(([name, field]) => [name, strictSchema(field)]))
    changed.catchall = def.catchall ?? z.never()
  }
  if (def.type === 'lazy') {
    const { getter } = def as unknown as { getter: () => z.core.$ZodType }
    changed.getter = () => strictSchema(getter())
  }
  // A clone with another definition of the same kind is of the same type.
  return Object.keys(changed).length === 0 ? schema : z.core.clone(schema, { ...def, ...changed } as never)
}
