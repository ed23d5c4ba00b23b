// Case L12, the part about the audit log: a million records are searched, exported and deleted.
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { startServer } from '../gates/auth/servers.ts'

const records = 1_000_000
/** Rows that one statement writes well within its timeout. */
const atOnce = 20_000
const searches = 200
const grownMBMax = 100
const searchMsMax = 300

const here = await world()
const server = await startServer()
const { system } = await testServices()
const { token } = here.partnerAdmin

async function seed(): Promise<void> {
  for (let first = 1; first <= records; first += atOnce) {
    await system.query(
      `INSERT INTO audit_logs (at, partner_id, org_id, actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details)
       SELECT now() - n * interval '2 seconds', $1, $2, 'user', $3, 'user@example.test', 'site.update', 'site', 'r' || n,
         'Site ' || n, jsonb_build_object('changes', jsonb_build_object('name', jsonb_build_object('before', 'old ' || n, 'after', 'new ' || n)))
       FROM generate_series($4::int, $5::int) n`,
      [here.partner.id, here.org.id, here.partnerAdmin.userId, first, first + atOnce - 1],
    )
  }
}

const residentMB = async () =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

/** Reads an export to its end without keeping it. @returns the number of lines and the peak memory */
async function download(format: string) {
  let peak = await residentMB()
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentMB())
  }, 50)
  const before = peak
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = `${server.url}/api/v1/audit/export?format=${format}&resourceType=site`
    request(url, { headers: { authorization: `Bearer ${token}` } }, resolve)
      .on('error', reject)
      .end()
  })
  let lines = 0
  for await (const part of answer) for (const byte of part) if (byte === 10) lines += 1
  clearInterval(watch)
  return { status: answer.statusCode, lines, grownMB: peak - before }
}

it('L12: searches, exports and deletes a million records', { timeout: 1_800_000 }, async () => {
  await seed()
  await download('csv')
  for (const format of ['csv', 'json']) {
    const { status, lines, grownMB } = await download(format)
    console.log({ format, lines, grownMB })
    expect(status).toBe(200)
    expect(lines).toBeGreaterThanOrEqual(records)
    expect(grownMB).toBeLessThan(grownMBMax)
  }
  const times: number[] = []
  for (let n = 0; n < searches; n++) {
    const began = performance.now()
    const { status } = await server.request(
      'GET',
      `/api/v1/audit/search?q=${encodeURIComponent(`site ${n * 4_999}`)}`,
      { token },
    )
    expect(status).toBe(200)
    times.push(performance.now() - began)
  }
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(searches * 0.95)]
  console.log({ searchP95Ms: p95 })
  expect(p95).toBeLessThan(searchMsMax)
})
