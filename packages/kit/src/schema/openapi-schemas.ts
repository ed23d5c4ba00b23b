// Schemas of declarations as JSON Schema. What a schema refers to stands once, among the document's components.
import { z } from 'zod'

export type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

/** Lists that may come as text are described as lists. */
function asList(io: 'input' | 'output', schema: z.core.$ZodType, described: Json): void {
  const { def } = schema._zod as unknown as { def: { type: string; in?: z.core.$ZodType; out?: z.core.$ZodType } }
  if (def.type !== 'pipe' || def.in?._zod.def.type !== 'transform' || def.out === undefined) return
  const { $schema: _, ...out } = z.toJSONSchema(def.out, { io, unrepresentable: 'any' })
  Object.assign(described, out)
}

/** What `z.json()` becomes: a schema that holds itself and says nothing. Generators of clients cannot take it. */
const isAnyJson = (schema: unknown): boolean =>
  isObject(schema) &&
  Array.isArray(schema.anyOf) &&
  ['string', 'number', 'boolean', 'null', 'array', 'object'].every((type) =>
    (schema.anyOf as Json[]).some((option) => option.type === type),
  )

/** Collects the named schemas of a document. */
export class Schemas {
  readonly components: Json = {}
  readonly #names = new Map<string, string>()

  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs,
      ...made
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      target: 'draft-2020-12',
      override: ({ zodSchema, jsonSchema }) => asList(io, zodSchema, jsonSchema as Json),
    })
    return isObject($defs) ? (this.#withNames(made, $defs) as Json) : made
  }

  /** The same definitions of two schemas get the same names. */
  #withNames(made: Json, defs: Json): unknown {
    const together = JSON.stringify(defs)
    const nameOf = (local: string): string => {
      const key = `${local} ${together}`
      const known = this.#names.get(key)
      if (known !== undefined) return known
      const name = `Nested${this.#names.size + 1}`
      this.#names.set(key, name)
      this.components[name] = renamed(defs[local])
      return name
    }
    const renamed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(renamed)
      if (!isObject(value)) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => {
          if (key === '$ref' && isAnyJson(defs[String(inner).slice('#/$defs/'.length)]))
            return ['description', 'Any JSON']
          const [, local] = key === '$ref' ? (/^#\/\$defs\/(.+)$/.exec(String(inner)) ?? []) : []
          return [key, local === undefined ? renamed(inner) : `#/components/schemas/${nameOf(local)}`]
        }),
      )
    }
    return renamed(made)
  }
}
