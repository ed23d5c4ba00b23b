// Several statements and one Sync in one write: the server answers them together, and outside of a transaction block they
// are one transaction. The results of some statements are discarded.
import { CamelCasePlugin } from 'kysely'
import pg from 'pg'

export interface Statement {
  /** Statements with a name keep their plan on the connection; the same name always means the same text. */
  readonly name: string | undefined
  readonly text: string
  readonly values: readonly unknown[]
}

export interface BatchResult {
  readonly rows: object[]
  readonly command: string
  readonly rowCount: number
}

/** A statement of a batch, and the callbacks for its result. */
export interface Asked {
  readonly statement: Statement
  readonly wanted?: {
    resolve(result: BatchResult): void
    reject(error: unknown): void
  }
}

/** The query builder's conversion of column names, so rows have the same keys as with the builder. */
class Names extends CamelCasePlugin {
  of(column: string): string {
    return this.camelCase(column)
  }
}
const names = new Names()

/** How the rows of a prepared statement are read; null until the server has described them. */
interface Prepared {
  columns: Columns | null
}
interface Columns {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
}
interface Described {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}
interface Read {
  readonly fields: readonly (string | null)[]
}

/** The prepared statements of each connection. The doubtful ones may be missing, because their batch failed. */
class Connected {
  readonly prepared = new Map<string, Prepared>()
  readonly doubtful = new Set<string>()
}
const connected = new WeakMap<object, Connected>()

function connectedOf(connection: object): Connected {
  const known = connected.get(connection)
  if (known !== undefined) return known
  const made = new Connected()
  connected.set(connection, made)
  return made
}

/** A value in PostgreSQL's text form, or as bytes. */
function asParameter(value: unknown): string | Buffer | null {
  switch (typeof value) {
    case 'string':
      return value
    case 'undefined':
      return null
    case 'object':
      if (value === null) return null
      if (Buffer.isBuffer(value)) return value
      if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      if (value instanceof Date) return value.toISOString()
      return Array.isArray(value) ? asArray(value) : JSON.stringify(value)
    default:
      return String(value)
  }
}

function asArray(values: readonly unknown[]): string {
  const parts = values.map((value) => {
    if (Array.isArray(value)) return asArray(value)
    const part = asParameter(value)
    if (part === null) return 'NULL'
    const text = typeof part === 'string' ? part : `\\x${part.toString('hex')}`
    return `"${text.replace(/["\\]/g, '\\$&')}"`
  })
  return `{${parts.join(',')}}`
}

/** A statement that was sent. */
interface Sent {
  readonly name: string
  readonly text: string
  readonly values: readonly (string | Buffer | null)[]
  readonly wanted: Asked['wanted']
  prepared: Prepared
  readonly rows: object[]
  completed: string | null
  failure: unknown
}

const sent = ({ statement: { name = '', text, values }, wanted }: Asked): Sent => {
  const answer = { prepared: { columns: null }, rows: [], completed: null, failure: null }
  return { name, text, values: values.map(asParameter), wanted, ...answer }
}

/** All rows of the unnamed portal. */
const wholePortal = { portal: '' }

/** One query for the driver, which calls the methods below by name. */
export class Batch extends pg.Query {
  readonly #client: pg.ClientBase
  readonly #statements: readonly Sent[]
  #connected: Connected | null = null
  /** Statements that this batch prepares. */
  readonly #new: string[] = []
  /** The statement that is being answered. */
  #at = 0

  /** @throws when a value cannot be written, before anything is sent */
  constructor(client: pg.ClientBase, statements: readonly Asked[]) {
    super('')
    this.#client = client
    this.#statements = statements.map(sent)
  }

  requiresPreparation(): boolean {
    return true
  }

  /** Called when the batch is sent. Data that it writes is sent with it. */
  prepare(connection: pg.Connection): void {
    const here = connectedOf(connection)
    this.#connected = here
    for (const statement of this.#statements) {
      statement.prepared = this.#bind(connection, here, statement)
      const isUnknown = statement.wanted !== undefined && statement.prepared.columns === null
      if (isUnknown) connection.describe({ type: 'P', name: '' }, true)
      connection.execute(wholePortal, true)
    }
    connection.sync()
  }

  #bind(connection: pg.Connection, here: Connected, { name, text, values }: Sent): Prepared {
    const known = here.prepared.get(name)
    const prepared = known ?? { columns: null }
    if (known === undefined) {
      if (here.doubtful.delete(name)) connection.close({ type: 'S', name }, true)
      connection.parse({ name, text, types: [] }, true)
      if (name !== '') {
        here.prepared.set(name, prepared)
        this.#new.push(name)
      }
    }
    connection.bind({ portal: '', statement: name, values: [...values] }, true)
    return prepared
  }

  handleRowDescription({ fields }: Described): void {
    const statement = this.#statements[this.#at]
    if (statement === undefined) return
    const parsers = fields.map(({ dataTypeID }) => this.#client.getTypeParser(dataTypeID, 'text'))
    statement.prepared.columns = { names: fields.map(({ name }) => names.of(name)), parsers }
  }

  handleDataRow({ fields }: Read): void {
    const statement = this.#statements[this.#at]
    if (statement?.wanted === undefined) return
    const { prepared, rows, failure } = statement
    if (prepared.columns === null || failure !== null) return
    const { names: columns, parsers } = prepared.columns
    const row: Record<string, unknown> = {}
    try {
      for (let index = 0; index < fields.length; index++) {
        const text = fields[index] ?? null
        row[columns[index] ?? ''] = text === null ? null : parsers[index]?.(text)
      }
      rows.push(row)
    } catch (error) {
      statement.failure = error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const statement = this.#statements[this.#at++]
    if (statement !== undefined) statement.completed = text
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** The server skips all statements after a failure. */
  handleError(error: unknown): void {
    // The failed statement too, because its plan may be outdated.
    for (const name of [...this.#new, this.#statements[this.#at]?.name ?? '']) {
      if (this.#connected?.prepared.delete(name)) this.#connected.doubtful.add(name)
    }
    this.#settle(error)
  }

  handleReadyForQuery(): void {
    this.#settle(new Error('the server has not answered this statement'))
  }

  #settle(missing: unknown): void {
    for (const { wanted, rows, completed, failure } of this.#statements) {
      if (wanted === undefined) continue
      const words = completed?.split(' ') ?? []
      if (completed === null) wanted.reject(missing)
      else if (failure !== null) wanted.reject(failure)
      else wanted.resolve({ rows, command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 })
    }
  }
}
