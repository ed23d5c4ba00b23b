import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream'
import { plainCell } from '@muster/kit/body/csv.ts'
import { CsvError, parse } from 'csv-parse'
import { z } from 'zod'
import { chainedColumns } from '../export-format.ts'
import { chainOf } from './canonical.ts'
import { ChainCheck, type ChainLink, type ChainReport } from './verify.ts'

/** The file is not an export of the audit log, or is damaged so that it cannot be read. */
export class ExportError extends Error {
  override readonly name = 'ExportError'
}

const text = z.string().nullable()
const Link = z.object({
  sequence: z.number().int().min(1),
  id: z.string(),
  at: z.string(),
  partnerId: text,
  orgId: text,
  actorType: z.string(),
  actorId: text,
  actorEmail: text,
  action: z.string(),
  resourceType: z.string(),
  resourceId: text,
  resourceName: text,
  result: z.string(),
  details: z.unknown(),
  changedFields: z.array(z.string()).nullable(),
  ipAddress: text,
  userAgent: text,
  requestId: text,
  previousHash: z.string(),
  hash: z.string(),
})
/** Fields that repeat `at`. The hash does not cover them, so they must equal it. Older exports lack them. */
const Times = z.object({ createdAt: z.string().nullish(), updatedAt: z.string().nullish() })
const Header = z.object({
  complete: z.boolean(),
  heads: z.array(
    z.object({
      chainId: z.string(),
      kind: z.enum(['head', 'floor']),
      sequence: z.number(),
      hash: z.string(),
      at: z.string(),
      keyId: z.string(),
      publicKey: z.string(),
      signature: z.string(),
    }),
  ),
})
type Header = z.infer<typeof Header>

export interface ExportReport {
  readonly chains: readonly ChainReport[]
  /** Records that were not chained yet when they were exported. */
  readonly waiting: number
  readonly heads: Header['heads']
  readonly complete: boolean
}

interface Read {
  readonly header: Header
  readonly links: AsyncIterable<ChainLink | null>
}

function linkOf(value: unknown, where: string): ChainLink | null {
  const parsed = Link.safeParse(value)
  if (parsed.success) {
    const { createdAt, updatedAt } = Times.parse(value)
    if ([createdAt, updatedAt].some((time) => time && time !== parsed.data.at)) {
      throw new ExportError(`${where}: createdAt and updatedAt must be equal to at`)
    }
    return { ...parsed.data, details: parsed.data.details ?? null }
  }
  if (z.object({ sequence: z.null() }).safeParse(value).success) return null
  throw new ExportError(`${where} is not a record of the audit log`)
}

async function* jsonLinks(lines: AsyncIterator<string>): AsyncGenerator<ChainLink | null> {
  for (let number = 2; ; number++) {
    const next = await lines.next()
    if (next.done) throw new ExportError('The file ends in the middle')
    if (next.value === ']}') return
    if (next.value === '') continue
    let value: unknown
    try {
      value = JSON.parse(next.value.replace(/,$/, ''))
    } catch {
      throw new ExportError(`Line ${number} is not valid JSON`)
    }
    yield linkOf(value, `Line ${number}`)
  }
}

/** The rows of a CSV file, parsed while it is read. */
async function* csvRows(file: string): AsyncGenerator<string[]> {
  const parser = parse({ relax_column_count: true, relax_quotes: true })
  // The reader of the rows gets the errors of both streams.
  pipeline(createReadStream(file), parser, () => undefined)
  try {
    yield* parser
  } catch (error) {
    if (error instanceof CsvError)
      throw new ExportError(`The file is not valid CSV: ${error.message}`, { cause: error })
    throw error
  }
}

async function readJson(file: string): Promise<Read> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]()
  const first = await lines.next()
  try {
    const header = Header.parse(JSON.parse(`${String(first.value)}]}`))
    return { header, links: jsonLinks(lines) }
  } catch (cause) {
    throw new ExportError(
      'The file does not begin like an export of the audit log. Use the file as it was downloaded',
      { cause },
    )
  }
}

/** The columns that hold JSON or a number. All others hold text, and an empty cell stands for null. */
function fromCells(columns: readonly string[], cells: readonly string[], number: number): unknown {
  const values = columns.map((name, index): [string, unknown] => {
    const cell = plainCell(cells[index] ?? '')
    if (cell === '') return [name, null]
    if (name !== 'sequence' && name !== 'details' && name !== 'changedFields') return [name, cell]
    try {
      return [name, JSON.parse(cell)]
    } catch {
      throw new ExportError(`Row ${number}: the column ${name} cannot be read`)
    }
  })
  return Object.fromEntries(values)
}

async function* csvLinks(columns: readonly string[], rows: AsyncIterator<string[]>): AsyncGenerator<ChainLink | null> {
  for (let number = 2; ; number++) {
    const next = await rows.next()
    if (next.done) return
    yield linkOf(fromCells(columns, next.value, number), `Row ${number}`)
  }
}

async function readCsv(file: string): Promise<Read> {
  const rows = csvRows(file)
  const first = await rows.next()
  if (first.done || !`${first.value.join()},`.startsWith(`${chainedColumns.join()},`)) {
    throw new ExportError('The file does not begin like an export of the audit log')
  }
  // A CSV file contains no heads and does not say whether it was filtered, so its first record may have any sequence.
  return { header: { complete: false, heads: [] }, links: csvLinks(first.value, rows) }
}

/**
 * Verifies an exported file without a database. The records of a complete export must follow each other without a gap.
 * The records of a filtered export are checked one by one against their own hashes.
 */
export async function verifyExport(file: string, keys: ReadonlyMap<string, string> | null): Promise<ExportReport> {
  const { header, links } = file.endsWith('.csv') ? await readCsv(file) : await readJson(file)
  // Exports are ordered by time and chains by sequence, so the records of each chain are collected first.
  const chains = new Map<string, ChainLink[]>()
  let waiting = 0
  for await (const link of links) {
    if (link === null) {
      waiting += 1
      continue
    }
    const chainId = chainOf(link.partnerId)
    const known = chains.get(chainId)
    if (known === undefined) chains.set(chainId, [link])
    else known.push(link)
  }
  for (const { chainId } of header.heads) if (header.complete && !chains.has(chainId)) chains.set(chainId, [])
  const reports = [...chains].map(([chainId, its]) => {
    const check = new ChainCheck(chainId, { heads: header.heads, keys, partial: !header.complete })
    for (const link of its.sort((a, b) => a.sequence - b.sequence)) if (!check.add(link)) break
    return check.finish()
  })
  return { chains: reports, waiting, heads: header.heads, complete: header.complete }
}
