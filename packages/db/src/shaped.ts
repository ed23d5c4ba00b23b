// The query builder takes longer to build a long statement than the database to run it. A query of every request is
// therefore built once for each shape, and later only gets new values.
import type { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'

const shapesMax = 200

/** A placeholder for a value while a statement is built; spread into a list it stands for the whole list. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
  *[Symbol.iterator]() {
    yield this
  }
}

const holes = new Proxy({}, { get: (_, name) => new Hole(String(name)) })

function filled(parameter: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (parameter instanceof Hole) return values[parameter.name]
  if (Array.isArray(parameter) && parameter[0] instanceof Hole) return values[parameter[0].name]
  return parameter
}

/**
 * A query by shape and values. The text may depend only on `shape`, so `build` gets placeholders as `values`, which it
 * may only compare with in the query.
 */
export function shaped<Shape, Values extends Readonly<Record<string, unknown>>, Row>(
  build: (db: Db, shape: Shape, values: Values) => { compile(): CompiledQuery<Row> },
): (db: Db, shape: Shape, values: Values) => Promise<Row[]> {
  const known = new Map<string, CompiledQuery<Row>>()
  return async (db, shape, values) => {
    const key = JSON.stringify(shape)
    let compiled = known.get(key)
    if (compiled === undefined) {
      // The builder does not read values, so placeholders of any type work.
      compiled = build(db, shape, holes as Values).compile()
      if (known.size >= shapesMax) known.clear()
      known.set(key, compiled)
    }
    const { rows } = await db.executeQuery<Row>({
      ...compiled,
      parameters: compiled.parameters.map((parameter) => filled(parameter, values)),
    })
    return rows
  }
}
