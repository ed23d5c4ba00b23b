import type { SystemFeature } from '@muster/wire/messages/inventory.ts'
import { u32Buffer } from '../native/accounts.ts'
import { dll, type Handle, memoryAt, wideTextAt } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'

const onlineImage = 'DISM_{53BFAE52-B167-4E2F-A258-0A37B57FF845}'
const logErrors = 0
const wholeImage = 0
/** DismFeature: an address and a number, packed without a gap. */
const featureBytes = 12
/** DismStateInstalled */
const installed = 4

function bindings() {
  // Loaded here, not with the other libraries: a reduced Windows lacks it.
  const { func } = dll('dismapi')
  return {
    initialize: func<(level: number, log: null, scratch: null) => number>('DismInitialize', 'int32_t', [
      'int',
      'void *',
      'void *',
    ]),
    openSession: func<(image: Buffer, windows: null, drive: null, session: Buffer) => number>(
      'DismOpenSession',
      'int32_t',
      ['void *', 'void *', 'void *', 'void *'],
    ),
    getFeatures: func<(session: number, name: null, kind: number, features: Buffer, count: Buffer) => number>(
      'DismGetFeatures',
      'int32_t',
      ['uint32_t', 'void *', 'int', 'void *', 'void *'],
    ),
    free: func<(memory: Handle) => number>('DismDelete', 'int32_t', ['intptr_t']),
    closeSession: func<(session: number) => number>('DismCloseSession', 'int32_t', ['uint32_t']),
    shutdown: func<() => number>('DismShutdown', 'int32_t', []),
  }
}

/** The optional features of Windows; undefined when its servicing does not answer. Takes seconds. */
export function listFeatures(): SystemFeature[] | undefined {
  let dism: ReturnType<typeof bindings>
  try {
    dism = bindings()
  } catch {
    return undefined
  }
  if (dism.initialize(logErrors, null, null) < 0) return undefined
  try {
    const session = u32Buffer()
    if (dism.openSession(wide(onlineImage), null, null, session) < 0) return undefined
    const [list, count] = [Buffer.alloc(8), u32Buffer()]
    const code = dism.getFeatures(session.readUInt32LE(), null, wholeImage, list, count)
    const address = list.readBigUInt64LE()
    try {
      return code < 0 ? undefined : featuresAt(address, count.readUInt32LE())
    } finally {
      if (address !== 0n) dism.free(address)
      dism.closeSession(session.readUInt32LE())
    }
  } finally {
    dism.shutdown()
  }
}

function featuresAt(address: Handle, count: number): SystemFeature[] {
  if (count === 0) return []
  const memory = memoryAt(address, count * featureBytes)
  return Array.from({ length: count }, (_, index) => {
    const at = index * featureBytes
    const name = wideTextAt(memory.readBigUInt64LE(at)).slice(0, 255)
    return { name, enabled: memory.readUInt32LE(at + 8) === installed }
  })
}
