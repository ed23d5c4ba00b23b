import { type Service, type ServiceDetail, servicesShownMax } from '@muster/wire/commands/services.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import { u32Buffer } from '../native/accounts.ts'
import { winErrors } from '../native/error-codes.ts'
import { failureOfCall, lastCode, lastError, must, Win32Error } from '../native/errors.ts'
import { type Handle, koffi } from '../native/koffi.ts'
import { textAt, wide } from '../native/layout.ts'
import {
  closeService,
  controlService,
  EnumServiceStatus,
  EnumServiceStatusProcess,
  enumDependents,
  enumServices,
  managerRights,
  openManager,
  openService,
  queryConfig,
  queryConfig2,
  queryStatus,
  ServiceConfig,
  ServiceStatus,
  ServiceStatusProcess,
  serviceRights,
  startService,
} from '../native/services-api.ts'
import { startupWord, stateWord } from '../service-words.ts'

const programServices = 0x30
/** Drivers of the kernel and of file systems. */
export const kernelDrivers = 0x0b
const allStates = 3
const activeState = 1
const processInformation = 0
const stopControl = 1
const descriptionLevel = 1
const delayedLevel = 3
const configBytes = 16 * 1024

function withManager<T>(rights: number, work: (manager: Handle) => T): T {
  const manager = openManager(null, null, rights)
  if (Number(manager) === 0) throw failureOfCall(lastError('OpenSCManagerW'), 'the service manager')
  try {
    return work(manager)
  } finally {
    closeService(manager)
  }
}

function withService<T>(name: string, rights: number, work: (service: Handle) => T): T {
  return withManager(managerRights.connect, (manager) => {
    const service = openService(manager, wide(name), rights)
    if (Number(service) === 0) throw failureOfCall(lastError('OpenServiceW'), `Service ${name}`)
    try {
      return work(service)
    } finally {
      closeService(service)
    }
  })
}

/** The text that a pointer in an answer points to; the answer holds its texts itself. */
function textIn(buffer: Buffer, address: bigint): string {
  return address === 0n ? '' : textAt(buffer, Number(address - BigInt(koffi.address(buffer))))
}

/** @param types the programs that run as services, unless others are named */
export function listServices(types = programServices): { services: Service[]; truncated: boolean } {
  return withManager(managerRights.connect | managerRights.enumerate, (manager) => {
    const services: Service[] = []
    const resume = u32Buffer()
    for (let size = 64 * 1024; ; ) {
      const buffer = Buffer.alloc(size)
      const [needed, returned] = [u32Buffer(), u32Buffer()]
      const args = [buffer, size, needed, returned, resume] as const
      const isWhole = enumServices(manager, processInformation, types, allStates, ...args, null) !== 0
      const code = isWhole ? winErrors.success : lastCode()
      if (!isWhole && code !== winErrors.moreData) throw new Win32Error('EnumServicesStatusExW', code)
      for (let index = 0; index < returned.readUInt32LE(); index++) {
        const { name, displayName, status } = EnumServiceStatusProcess.read(
          buffer,
          index * EnumServiceStatusProcess.size,
        )
        const own = textIn(buffer, name)
        const startup = startupOf(manager, own)
        services.push({
          name: own,
          displayName: textIn(buffer, displayName) || null,
          state: stateWord(status.state),
          startup,
        })
      }
      if (isWhole || services.length > servicesShownMax)
        return { services: services.slice(0, servicesShownMax), truncated: services.length > servicesShownMax }
      size = Math.max(size, needed.readUInt32LE())
    }
  })
}

function startupOf(manager: Handle, name: string): string | null {
  const service = openService(manager, wide(name), serviceRights.queryConfig)
  if (Number(service) === 0) return null
  try {
    const buffer = Buffer.alloc(configBytes)
    if (queryConfig(service, buffer, buffer.length, u32Buffer()) === 0) return null
    return startupWord(ServiceConfig.read(buffer).startType, isDelayed(service))
  } finally {
    closeService(service)
  }
}

function isDelayed(service: Handle): boolean {
  const buffer = Buffer.alloc(8)
  return queryConfig2(service, delayedLevel, buffer, buffer.length, u32Buffer()) !== 0 && buffer.readUInt32LE() !== 0
}

function descriptionOf(service: Handle): string | undefined {
  const buffer = Buffer.alloc(configBytes)
  if (queryConfig2(service, descriptionLevel, buffer, buffer.length, u32Buffer()) === 0) return undefined
  return textIn(buffer, buffer.readBigUInt64LE()) || undefined
}

function statusOf(service: Handle) {
  const buffer = Buffer.alloc(ServiceStatusProcess.size)
  must('QueryServiceStatusEx', queryStatus(service, processInformation, buffer, buffer.length, u32Buffer()))
  return ServiceStatusProcess.read(buffer)
}

/** The name of a service as the system has it, which ignores case. */
function spelled(name: string): string {
  const { services } = listServices()
  return services.find((service) => service.name.toLowerCase() === name.toLowerCase())?.name ?? name
}

export function serviceDetail(name: string): ServiceDetail {
  return withService(name, serviceRights.queryConfig | serviceRights.queryStatus, (service) => {
    const buffer = Buffer.alloc(configBytes)
    must('QueryServiceConfigW', queryConfig(service, buffer, buffer.length, u32Buffer()))
    const config = ServiceConfig.read(buffer)
    const status = statusOf(service)
    const { state, pid } = status
    const ended = endOf(status)
    return {
      name: spelled(name),
      displayName: textIn(buffer, config.displayName) || null,
      state: stateWord(state),
      startup: startupWord(config.startType, isDelayed(service)),
      mainPid: pid === 0 ? null : pid,
      result: ended === 0 ? null : String(ended),
      // The service manager of Windows does not keep these.
      ...{ restarts: null, memoryBytes: null, tasks: null, activeSince: null },
      unitFile: descriptionOf(service) ?? null,
      command: textIn(buffer, config.program) || null,
      user: textIn(buffer, config.account) || null,
      requires: listIn(buffer, config.dependencies),
      after: [],
    }
  })
}

const serviceSpecific = 1_066

/** The exit code of a service: its own one where it gave one. */
const endOf = ({ exitCode, specificExitCode }: ReturnType<typeof statusOf>): number =>
  exitCode === serviceSpecific ? specificExitCode : exitCode

/** The exit code of a service that has ended; undefined while it runs. */
export function exitCodeOf(name: string): number | undefined {
  return withService(name, serviceRights.queryStatus, (service) => {
    const status = statusOf(service)
    return stateWord(status.state) === 'stopped' ? endOf(status) : undefined
  })
}

/** A list of texts that an empty one ends. */
function listIn(buffer: Buffer, address: bigint): string[] {
  const list: string[] = []
  if (address === 0n) return list
  let at = Number(address - BigInt(koffi.address(buffer)))
  for (let text = textAt(buffer, at); text !== ''; text = textAt(buffer, at)) {
    list.push(text)
    at += (text.length + 1) * 2
  }
  return list
}

/** The state of a service, as a word. */
export function serviceState(name: string): string {
  return withService(name, serviceRights.queryStatus, (service) => stateWord(statusOf(service).state))
}

const missingParts: ReadonlySet<number> = new Set([winErrors.fileNotFound, winErrors.pathNotFound, winErrors.notFound])

/** Asks a service to start. */
export function beginStart(name: string): void {
  withService(name, serviceRights.start, (service) => {
    if (startService(service, 0, null) !== 0) return
    const code = lastCode()
    if (code === winErrors.serviceAlreadyRunning) return
    const error = new Win32Error('StartServiceW', code)
    // The service exists: what is missing belongs to it.
    if (missingParts.has(code)) throw new ToolFailure('COMMAND_FAILED', `Service ${name}: ${error.message}`)
    throw failureOfCall(error, `Service ${name}`)
  })
}

/** Asks a service to stop. */
export function beginStop(name: string): void {
  withService(name, serviceRights.stop, (service) => {
    if (controlService(service, stopControl, Buffer.alloc(ServiceStatus.size)) !== 0) return
    const code = lastCode()
    // Stopped, or already stopping: the caller waits for it.
    if (code === winErrors.serviceNotActive || code === winErrors.serviceCannotAcceptControl) return
    if (code === 1_052) throw new ToolFailure('DENIED', `Service ${name} does not accept a stop`)
    throw failureOfCall(new Win32Error('ControlService', code), `Service ${name}`)
  })
}

/** The running services that need a service, in the order in which they have to stop. */
export function runningDependents(name: string): string[] {
  return withService(name, serviceRights.enumerateDependents, (service) => {
    const buffer = Buffer.alloc(64 * 1024)
    const returned = u32Buffer()
    must('EnumDependentServicesW', enumDependents(service, activeState, buffer, buffer.length, u32Buffer(), returned))
    return Array.from({ length: returned.readUInt32LE() }, (_, index) =>
      textIn(buffer, EnumServiceStatus.read(buffer, index * EnumServiceStatus.size).name),
    )
  })
}
