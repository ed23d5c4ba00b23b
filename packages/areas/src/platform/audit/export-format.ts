// The two formats of an export. Both contain what verification needs: all hashed fields and the position in the chain.
import { csvRow } from '@muster/kit/body/csv.ts'
import type { SignedHead } from './chain/signed-heads.ts'
import type { AuditLog } from './logs.contract.ts'

/** A record with the previous hash of its chain. */
export interface ExportedLog extends AuditLog {
  readonly previousHash: string | null
}

/** The columns that verification reads. */
export const chainedColumns = [
  'sequence',
  'id',
  'at',
  'partnerId',
  'orgId',
  'actorType',
  'actorId',
  'actorEmail',
  'action',
  'resourceType',
  'resourceId',
  'resourceName',
  'result',
  'details',
  'changedFields',
  'ipAddress',
  'userAgent',
  'requestId',
  'previousHash',
  'hash',
] as const
const csvColumns = [...chainedColumns, 'createdAt', 'updatedAt'] as const

type Pages = AsyncIterable<readonly ExportedLog[]>

/** Null is an empty cell. Details and changed fields are JSON. */
export async function* asCsv(pages: Pages): AsyncGenerator<string> {
  yield csvRow(csvColumns)
  for await (const page of pages) {
    let text = ''
    for (const record of page) {
      const cells = csvColumns.map((name) => {
        const value = record[name]
        return value !== null && typeof value === 'object' ? JSON.stringify(value) : value
      })
      text += csvRow(cells)
    }
    yield text
  }
}

export interface ExportHeader {
  readonly exportedAt: string
  readonly filters: object
  /** Whether it contains all records of its chains, so that gaps are a fault. */
  readonly complete: boolean
  readonly heads: readonly SignedHead[]
}

/** One JSON document with each record on its own line, so that a reader can process it line by line. */
export async function* asJson(header: ExportHeader, pages: Pages): AsyncGenerator<string> {
  const { exportedAt, filters, complete, heads } = header
  yield `{"exportedAt":${JSON.stringify(exportedAt)},"filters":${JSON.stringify(filters)},"complete":${complete},"heads":${JSON.stringify(heads)},"data":[\n`
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    yield separator + page.map((record) => JSON.stringify(record)).join(',\n')
    separator = ',\n'
  }
  yield '\n]}\n'
}
