// Several statements and one Sync in one write: the server answers them together, and outside of a transaction block they
// are one transaction of their own. The answer to the last of them is what counts; those before it only prepare the ground.
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

/** The query builder's way of naming things, so that rows come as it would have made them. */
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

/** What each connection has prepared. Of the doubtful it may or may not have, because something failed beside them. */
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

/** What a value is in PostgreSQL's text form, or as bytes. */
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

interface Parsed extends Statement {
  readonly values: readonly (string | Buffer | null)[]
}
const parsed = (statement: Statement): Parsed => ({ ...statement, values: statement.values.map(asParameter) })

/** The unnamed portal, all of its rows. */
const wholePortal = { portal: '' }

/** One submission to the driver, which knows it as a query of its own kind and calls the methods below by their names. */
export class Batch extends pg.Query {
  readonly answered: Promise<BatchResult>
  readonly #client: pg.ClientBase
  readonly #before: readonly Parsed[]
  readonly #last: Parsed
  #connected: Connected | null = null
  /** Prepared on the way of this batch. */
  readonly #new: string[] = []
  #awaited: Prepared = { columns: null }
  /** Statements before the last one that are still to be answered. */
  #ahead: number
  #rows: object[] = []
  #completed = ''
  #failure: unknown = null
  #resolve: (result: BatchResult) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /** @throws when a value cannot be written, before anything is sent */
  constructor(client: pg.ClientBase, before: readonly Statement[], last: Statement) {
    super(last.text)
    this.#client = client
    this.#before = before.map(parsed)
    this.#last = parsed(last)
    this.#ahead = before.length
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  requiresPreparation(): boolean {
    return true
  }

  /** Called in the moment of sending; whatever it writes leaves at once. */
  prepare(connection: pg.Connection): void {
    const here = connectedOf(connection)
    this.#connected = here
    for (const statement of this.#before) {
      this.#bind(connection, here, statement)
      connection.execute(wholePortal, true)
    }
    this.#awaited = this.#bind(connection, here, this.#last)
    if (this.#awaited.columns === null) connection.describe({ type: 'P', name: '' }, true)
    connection.execute(wholePortal, true)
    connection.sync()
  }

  #bind(connection: pg.Connection, here: Connected, { name = '', text, values }: Parsed): Prepared {
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
    const parsers = fields.map(({ dataTypeID }) => this.#client.getTypeParser(dataTypeID, 'text'))
    this.#awaited.columns = { names: fields.map(({ name }) => names.of(name)), parsers }
  }

  handleDataRow({ fields }: Read): void {
    const { columns } = this.#awaited
    if (this.#ahead > 0 || columns === null || this.#failure !== null) return
    const row: Record<string, unknown> = {}
    try {
      for (let index = 0; index < fields.length; index++) {
        const text = fields[index] ?? null
        row[columns.names[index] ?? ''] = text === null ? null : columns.parsers[index]?.(text)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#failure = error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.#ahead > 0) this.#ahead -= 1
    else this.#completed = text
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleError(error: unknown): void {
    // Also the one that failed: its plan may be what no longer fits.
    for (const name of [...this.#new, this.#last.name ?? '']) {
      if (this.#connected?.prepared.delete(name)) this.#connected.doubtful.add(name)
    }
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    const words = this.#completed.split(' ')
    if (this.#failure !== null) this.#reject(this.#failure)
    else this.#resolve({ rows: this.#rows, command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 })
  }
}
