import { asCaller } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import type { SignedHead } from './chain/signed-heads.ts'
import { asCsv, asJson, type ExportedLog } from './export-format.ts'
import { exports as contract } from './exports.contract.ts'
import type { AuditFilters } from './logs.contract.ts'
import { columns, matching } from './logs.queries.ts'

const pageRows = 2_000

type Input = AuditFilters & { format: 'csv' | 'json'; q?: string | undefined }

export default implement(contract, { download: answer, create: answer })

/** Reads pages in separate transactions, so that neither memory nor a transaction grows with the response. */
async function answer(call: Call<Input>): Promise<RawAnswer> {
  const { caller, input, audit, services, db } = call
  const { format, ...filters } = input
  matching(caller, filters)
  const exportedAt = new Date(services.clock.now()).toISOString()
  const heads = format === 'json' ? await headsFor(call) : []
  // The records of an organization are only a part of its partner's chain.
  const complete = readsWholeChains(caller) && Object.values(filters).every((value) => value === undefined)
  audit({ target: caller.partnerId ?? 'all', details: { format, filters } })
  // Records that are added from now on, including that of this export, are not part of it.
  const until = (await sql<{ at: string }>`SELECT now()::text AS at`.execute(db)).rows[0]?.at ?? exportedAt
  const pages = pagesOf(call, filters, until)
  const name = `muster-audit-${exportedAt.slice(0, 10)}.${format}`
  return {
    headers: {
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
    },
    body: format === 'csv' ? asCsv(pages) : asJson({ exportedAt, filters, complete, heads }, pages),
  }
}

const readsWholeChains = ({ scope, orgAccess }: Caller): boolean =>
  scope === 'system' || (scope === 'partner' && orgAccess === 'all')

async function* pagesOf({ caller, services, request }: Call<Input>, filters: AuditFilters, until: string) {
  const condition = matching(caller, filters)
  let after = sql`true`
  while (!request.signal.aborted) {
    const page = await asCaller(services.people, caller, 'read', async (db) => {
      const { rows } = await sql<ExportedLog>`
        SELECT ${columns}, encode(a.chain_previous, 'hex') AS previous_hash FROM audit_logs a
        WHERE ${condition} AND a.at < ${until}::timestamptz AND ${after} ORDER BY a.at, a.id LIMIT ${pageRows}`.execute(
        db,
      )
      return rows
    })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    after = sql`(a.at, a.id) > (${last.at}::timestamptz, ${last.id}::uuid)`
  }
}

/** The signed heads that the export can be verified against. */
async function headsFor({ db, input }: Call<Input>): Promise<SignedHead[]> {
  const { rows } = await sql<SignedHead>`
    SELECT DISTINCT ON (chain_id, kind) chain_id, kind, sequence, encode(hash, 'hex') AS hash,
      to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, key_id, public_key, signature
    FROM audit_heads WHERE ${input.partnerId === undefined ? sql`true` : sql`partner_id = ${input.partnerId}`}
    ORDER BY chain_id, kind, sequence DESC`.execute(db)
  return rows
}
