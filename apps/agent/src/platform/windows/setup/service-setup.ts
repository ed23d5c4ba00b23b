import { ToolFailure } from '../../../tool-failure.ts'
import type { Installation } from '../../../update/installation.ts'
import type { ServiceSetup, WantedService } from '../../platform.ts'
import { getValue, setValue } from '../calls/registry.ts'
import { exitCodeOf, serviceState } from '../calls/services.ts'
import { serviceName } from '../installed-key.ts'
import { lastCode, must, Win32Error } from '../native/errors.ts'
import { keyObject, setAccess } from '../native/folder-access.ts'
import { type Handle, koffi } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'
import {
  changeConfig,
  changeConfig2,
  configLevels,
  createService,
  deleteService,
  setupRights,
} from '../native/service-setup-api.ts'
import { closeService, managerRights, openManager, openService } from '../native/services-api.ts'
import { createServiceTools } from '../tools/service-tools.ts'
import { registerEvents, unregisterEvents } from './event-source.ts'
import { removeLeftovers } from './leftovers.ts'

const displayName = 'Muster Agent'
const description = 'Reports the state of this machine to Muster and carries out its commands.'
const [ownProcess, automatic, normalErrors, unchanged] = [0x10, 2, 1, 0xffff_ffff]
/** After each failure: 1 s, then 5 s, then always a minute. */
const restartDelaysMs = [1_000, 5_000, 60_000]
const failuresForgottenSeconds = 86_400
const restart = 1
const invalidLevel = 124
const keyPath = `SYSTEM\\CurrentControlSet\\Services\\${serviceName}`
const environmentPlace = { hive: 'HKEY_LOCAL_MACHINE', path: keyPath, view: '64' } as const
const environmentValue = 'Environment'

/** The watchdog as a service of the service control manager. */
export const serviceSetup: ServiceSetup = {
  isInstalled: async () => isInstalled(),
  exitCode: async () => exitCodeOf(serviceName),
  install,
  remove,
}

function isInstalled(): boolean {
  try {
    serviceState(serviceName)
    return true
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return false
    throw error
  }
}

async function install({ installation, flags, environment, start }: WantedService): Promise<void> {
  const services = createServiceTools()
  const wasInstalled = isInstalled()
  if (wasInstalled) await services.control(serviceName, 'stop')
  if (!(await installation.isSharedWithWatchdog())) await installation.giveToWatchdog()
  try {
    configure(flags && commandOf(installation.watchdog, flags))
    registerEvents()
    setEnvironment(environment)
    if (start) await services.control(serviceName, 'start')
  } catch (error) {
    if (!wasInstalled) await remove(installation)
    throw error
  }
}

async function remove(installation: Installation): Promise<void> {
  if (isInstalled()) {
    await createServiceTools().control(serviceName, 'stop')
    withService(setupRights.delete, (service) => must('DeleteService', deleteService(service)))
  }
  try {
    unregisterEvents()
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'NOT_FOUND') throw error
  }
  await removeLeftovers(installation)
}

/** Creates the service, or changes it. @param command undefined keeps the one that it has */
function configure(command: string | undefined): void {
  withManager((manager) => {
    const [name, shown] = [wide(serviceName), wide(displayName)]
    const line = command === undefined ? null : wide(command)
    const rights = setupRights.changeConfig | setupRights.startAndStop
    let service = openService(manager, name, rights)
    if (Number(service) !== 0) {
      const ids = [null, null, null, null, null] as const
      must('ChangeServiceConfigW', changeConfig(service, unchanged, automatic, unchanged, line, ...ids, shown))
    } else if (line !== null) {
      const ids = [null, null, null, null, null] as const
      const types = [ownProcess, automatic, normalErrors] as const
      service = must('CreateServiceW', createService(manager, name, shown, rights, ...types, line, ...ids))
    } else throw new Error(`the service ${serviceName} is not installed`)
    try {
      describe(service)
      restartAfterFailures(service)
    } finally {
      closeService(service)
    }
  })
}

function describe(service: Handle): void {
  const text = wide(description)
  must('ChangeServiceConfig2W', changeConfig2(service, configLevels.description, pointerTo(text)))
}

/** The watchdog ends itself after an update of its executable, with an exit code, and expects to be started again. */
function restartAfterFailures(service: Handle): void {
  const actions = Buffer.alloc(8 * restartDelaysMs.length)
  for (const [index, delayMs] of restartDelaysMs.entries()) {
    actions.writeUInt32LE(restart, 8 * index)
    actions.writeUInt32LE(delayMs, 8 * index + 4)
  }
  // SERVICE_FAILURE_ACTIONSW: a number, two texts, a count and an address.
  const info = Buffer.alloc(40)
  info.writeUInt32LE(failuresForgottenSeconds, 0)
  info.writeUInt32LE(restartDelaysMs.length, 24)
  pointerTo(actions).copy(info, 32)
  must('ChangeServiceConfig2W', changeConfig2(service, configLevels.failureActions, info))
  // Also when it ends by itself and says so. Without this only crashes count.
  const flag = Buffer.alloc(4)
  flag.writeUInt32LE(1)
  if (changeConfig2(service, configLevels.failureActionsFlag, flag) !== 0) return
  const code = lastCode()
  if (code !== invalidLevel) throw new Win32Error('ChangeServiceConfig2W', code)
}

/** Adds variables to those of the service. A proxy may have a password, so other users may not read the key. */
function setEnvironment(added: Readonly<Record<string, string>>): void {
  setAccess(`MACHINE\\${keyPath}`, ['(A;CI;KA;;;SY)', '(A;CI;KA;;;BA)'], keyObject)
  const names = Object.keys(added)
  const kept = environmentNow().filter((line) => !names.includes(line.split('=', 1)[0] ?? ''))
  const data = [...kept, ...Object.entries(added).map(([name, value]) => `${name}=${value}`)]
  setValue(environmentPlace, { name: environmentValue, type: 'REG_MULTI_SZ', data })
}

function environmentNow(): string[] {
  try {
    const { data } = getValue(environmentPlace, environmentValue)
    return Array.isArray(data) ? data : []
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return []
    throw error
  }
}

/** The command line of the service. */
function commandOf(program: string, flags: readonly string[]): string {
  return [program, 'service', ...flags].map(quoted).join(' ')
}

function quoted(word: string): string {
  if (word.includes('"')) throw new Error(`${word} contains a quote`)
  // A backslash before the closing quote would escape it.
  return /[\s]/.test(word) ? `"${word.replace(/\\+$/, '$&$&')}"` : word
}

function pointerTo(content: Buffer): Buffer {
  const pointer = Buffer.alloc(8)
  pointer.writeBigUInt64LE(BigInt(koffi.address(content)))
  return pointer
}

function withManager<T>(work: (manager: Handle) => T): T {
  const rights = managerRights.connect | setupRights.createService
  const manager = must('OpenSCManagerW', openManager(null, null, rights))
  try {
    return work(manager)
  } finally {
    closeService(manager)
  }
}

function withService<T>(rights: number, work: (service: Handle) => T): T {
  return withManager((manager) => {
    const service = must('OpenServiceW', openService(manager, wide(serviceName), rights))
    try {
      return work(service)
    } finally {
      closeService(service)
    }
  })
}
