import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { machineOf } from './machine.ts'
import { type Place, placeOf } from './places.ts'
import { newKey, type Roster } from './roster.ts'
import { sourceOf } from './source.ts'

const Enrolled = z.looseObject({ certificate: z.string().min(1) })
const Refused = z.looseObject({ message: z.string() })
const atOnce = 8
const saveEvery = 200
const busyPauseMs = 2_000

export interface EnrollmentOptions {
  readonly server: string
  readonly machines: readonly number[]
  /** The enrollment key of each site. */
  readonly keys: ReadonlyMap<Place, string>
  readonly roster: Roster
  enrolled(machine: number): void
}

/** Enrolls machines, several at once, as separate installations would. */
export async function enrollAll({ server, machines, keys, roster, enrolled }: EnrollmentOptions): Promise<void> {
  const waiting = [...machines]
  let done = 0
  const next = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      await enrollOne(server, index, keys.get(placeOf(index)) ?? '', roster)
      enrolled(index)
      if (++done % saveEvery === 0) await roster.save()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  await roster.save()
}

async function enrollOne(server: string, index: number, enrollmentKey: string, roster: Roster): Promise<void> {
  const { key, publicKey } = newKey()
  const { machineId, inventory } = machineOf(index)
  const { hostname, osType, osName, osVersion, architecture, agentVersion } = inventory.facts
  const body = JSON.stringify({
    ...{ enrollmentKey, publicKey, machineId },
    ...{ hostname, osType, osName, osVersion, architecture, agentVersion },
  })
  for (;;) {
    const { status, text } = await post(`${server}/api/v1/agents/enroll`, body, sourceOf(index))
    if (status === 201) {
      roster.add(index, key, Enrolled.parse(JSON.parse(text)).certificate)
      return
    }
    if (status !== 429 && status < 500) {
      throw new Error(`${hostname} was refused: ${Refused.safeParse(JSON.parse(text)).data?.message ?? status}`)
    }
    await pause(busyPauseMs)
  }
}

function post(url: string, body: string, localAddress: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', headers, localAddress }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', reject)
    })
    asking.on('error', reject)
    asking.end(body)
  })
}
