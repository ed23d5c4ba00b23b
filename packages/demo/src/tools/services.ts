import {
  ControlledService,
  ControlService,
  GetService,
  ListServices,
  type Service,
  ServiceDetail,
  ServiceList,
} from '@muster/wire/commands/services.ts'
import { Chance } from '../chance.ts'
import type { Machine } from '../machine.ts'
import { Refusal, type Tools, tool } from './tool.ts'

type Places = Pick<ServiceDetail, 'unitFile' | 'command'>

/** Where each system defines a service, and what it runs. */
const places: Readonly<Record<Machine['platform']['osType'], (name: string) => Places>> = {
  windows: (name) => ({ unitFile: null, command: `C:\\Windows\\System32\\svchost.exe -k netsvcs -p -s ${name}` }),
  linux: (name) => ({ unitFile: `/usr/lib/systemd/system/${name}.service`, command: name }),
  macos: (name) => ({
    unitFile: `/System/Library/LaunchDaemons/${name}.plist`,
    command: `/usr/libexec/${name.slice(name.lastIndexOf('.') + 1)}`,
  }),
}

/** The services of a simulated machine. Changes of their state last until the demo ends. */
export class Services {
  readonly #machine: Machine
  readonly #services: Map<string, Service>

  constructor(machine: Machine) {
    this.#machine = machine
    const services = machine.inventory.services.map(({ name, displayName, state, startup }): [string, Service] => [
      name,
      { name, displayName: displayName ?? null, state: state ?? 'stopped', startup: startup ?? null },
    ])
    this.#services = new Map(services)
  }

  get tools(): Tools {
    const control = (state: string) =>
      tool(ControlService, ControlledService, ({ name }) => {
        const service = this.#find(name)
        this.#services.set(service.name, { ...service, state })
        return { name: service.name, state }
      })
    return {
      list_services: tool(ListServices, ServiceList, () => ({
        services: [...this.#services.values()],
        truncated: false,
      })),
      get_service: tool(GetService, ServiceDetail, ({ name }, now) => this.#detail(this.#find(name), now)),
      start_service: control('running'),
      stop_service: control('stopped'),
      restart_service: control('running'),
    }
  }

  #find(name: string): Service {
    const wanted = name.replace(/\.service$/, '').toLowerCase()
    const found = [...this.#services.values()].find((service) => service.name.toLowerCase() === wanted)
    if (found === undefined) throw new Refusal('NOT_FOUND', `there is no service ${name}`)
    return found
  }

  #detail(service: Service, now: number): ServiceDetail {
    const { index, platform } = this.#machine
    const chance = new Chance(`service ${index} ${service.name}`)
    const isRunning = service.state === 'running'
    const isWindows = platform.osType === 'windows'
    return {
      ...service,
      mainPid: isRunning ? chance.whole(400, 20_000) : null,
      result: isRunning ? null : '0',
      restarts: isWindows ? null : 0,
      memoryBytes: isRunning ? chance.whole(2, 300) * 2 ** 20 : null,
      tasks: isRunning ? chance.whole(1, 40) : null,
      activeSince: isRunning ? new Date(now - chance.whole(3_600, 900_000) * 1_000).toISOString() : null,
      ...places[platform.osType](service.name),
      user: isWindows ? 'LocalSystem' : 'root',
      requires: isWindows ? ['RpcSs'] : [],
      after: [],
    }
  }
}
