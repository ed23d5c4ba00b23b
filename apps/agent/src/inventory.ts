import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { frameBytesMax } from '@muster/wire/limits.ts'
import { type Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { inventoryOutputBytesMax, inventoryTimeoutMs } from './limits.ts'
import { ownProgram } from './own-program.ts'
import type { InventorySections } from './platform/platform.ts'

const Sections = Inventory.omit({ hash: true, facts: true })

/** Collects the inventory in a separate process and adds its hash. */
export async function collectInventory(facts: Facts, signal: AbortSignal): Promise<Inventory> {
  const collected = Sections.parse(JSON.parse(await runCollector(signal)))
  const sections = fitInFrame(collected)
  return { hash: inventoryHash(facts, sections), facts, ...sections }
}

/** Disk usage, signed-in users and the charge of a battery change all the time, so they are not part of the hash. */
export function inventoryHash(facts: Facts, sections: InventorySections): string {
  const disks = sections.disks.map(({ usedBytes, ...rest }) => rest)
  const users = sections.users.map(({ loggedIn, lastLoginAt, ...rest }) => rest)
  const { percent, charging, ...battery } = sections.hardware.battery ?? {}
  const hardware = { ...sections.hardware, battery }
  return sha256(canonicalJson({ facts, ...sections, hardware, disks, users }))
}

// A frame's msgpack is never longer than its JSON; the rest is for the header and the facts.
const sectionBytesMax = frameBytesMax - 16 * 1024

/** Truncates the longest lists of an inventory that exceeds a frame. */
export function fitInFrame(sections: InventorySections): InventorySections {
  let fitting = sections
  while (Buffer.byteLength(JSON.stringify(fitting)) > sectionBytesMax) {
    const { software, services, system } = fitting
    const { drivers, updates, features } = system ?? {}
    const longest = Math.max(...[software, services, drivers, updates, features].map((list) => list?.length ?? 0))
    if (longest === 0) break
    const cut = <T>(list: T[]): T[] => (list.length < longest ? list : list.slice(0, Math.floor(longest * 0.9)))
    fitting = {
      ...fitting,
      software: cut(software),
      services: cut(services),
      system: system && {
        ...system,
        drivers: drivers && cut(drivers),
        updates: updates && cut(updates),
        features: features && cut(features),
      },
    }
  }
  return fitting
}

function runCollector(signal: AbortSignal): Promise<string> {
  const { file, args } = ownProgram('collect-inventory')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(inventoryTimeoutMs)])
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: limit,
      killSignal: 'SIGKILL',
    })
    yieldTo(child.pid)
    const pieces: Buffer[] = []
    let bytes = 0
    let complaint = ''
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > inventoryOutputBytesMax) child.kill('SIGKILL')
      else pieces.push(piece)
    })
    child.stderr.on('data', (piece: Buffer) => {
      complaint = (complaint + piece.toString()).slice(-500)
    })
    child.on('error', (error) => {
      if (error.name !== 'AbortError') reject(error)
      else reject(new Error(signal.aborted ? 'collecting was stopped' : 'collecting took too long'))
    })
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(pieces).toString())
      else reject(new Error(`the collector failed: ${complaint.trim() || `exit code ${code}`}`))
    })
  })
}

// Collecting runs at low priority.
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}
