// The query builder takes longer to write a long statement than the database to answer it. What is asked in every request
// is therefore built once for each of its shapes and afterward only given its values.
import type { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'

const shapesMax = 200

/** Stands for a value while a statement is built; spread into a list it stands for the whole list. */
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
 * A query by shape and values. What decides about the text must come from `shape`, which is why `build` is given nothing
 * else: each of the `values` it sees is a stand-in, good for being compared with in the query and for nothing else.
 */
export function shaped<Shape, Values extends Readonly<Record<string, unknown>>, Row>(
  build: (db: Db, shape: Shape, values: Values) => { compile(): CompiledQuery<Row> },
): (db: Db, shape: Shape, values: Values) => Promise<Row[]> {
  const known = new Map<string, CompiledQuery<Row>>()
  return async (db, shape, values) => {
    const key = JSON.stringify(shape)
    let compiled = known.get(key)
    if (compiled === undefined) {
      // The builder passes values through unread, so stand-ins of any type will do.
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
