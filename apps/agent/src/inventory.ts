import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { frameBytesMax } from '@muster/wire/limits.ts'
import { type Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { inventoryOutputBytesMax, inventoryTimeoutMs } from './limits.ts'
import { ownProgram } from './own-program.ts'
import type { InventorySections } from './platform/platform.ts'

const Sections = Inventory.omit({ hash: true, facts: true })

/** Collects what the machine is, in a process of its own, and names it by its hash. */
export async function collectInventory(facts: Facts, signal: AbortSignal): Promise<Inventory> {
  const collected = Sections.parse(JSON.parse(await runCollector(signal)))
  const sections = fitInFrame(collected)
  return { hash: inventoryHash(facts, sections), facts, ...sections }
}

/** How full a disk is and who is logged in changes all the time: neither makes an inventory a new one. */
export function inventoryHash(facts: Facts, sections: InventorySections): string {
  const disks = sections.disks.map(({ usedBytes, ...rest }) => rest)
  const users = sections.users.map(({ loggedIn, lastLoginAt, ...rest }) => rest)
  return sha256(canonicalJson({ facts, ...sections, disks, users }))
}

// A frame's msgpack is never longer than its JSON, and a little is left for the header and the facts.
const sectionBytesMax = frameBytesMax - 16 * 1024

/** Leaves out the tail of the longest lists of a machine that has more than a frame holds. */
export function fitInFrame(sections: InventorySections): InventorySections {
  let { software, services } = sections
  const size = () => Buffer.byteLength(JSON.stringify({ ...sections, software, services }))
  while (size() > sectionBytesMax && software.length + services.length > 0) {
    if (software.length >= services.length) software = software.slice(0, Math.floor(software.length * 0.9))
    else services = services.slice(0, Math.floor(services.length * 0.9))
  }
  return { ...sections, software, services }
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

// The machine is there for other work than being listed.
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
