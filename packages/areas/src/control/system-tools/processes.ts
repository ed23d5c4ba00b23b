import type { Process } from '@muster/wire/commands/processes.ts'
import { implement } from '../../operation.ts'
import { processes as contract } from './processes.contract.ts'
import { act, look } from './tools.ts'

type Sort = 'pid' | 'cpu' | 'memory' | 'name'

const orders: Readonly<Record<Sort, (a: Process, b: Process) => number>> = {
  pid: (a, b) => a.pid - b.pid,
  cpu: (a, b) => b.cpuPercent - a.cpuPercent || a.pid - b.pid,
  memory: (a, b) => b.memoryBytes - a.memoryBytes || a.pid - b.pid,
  name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.pid - b.pid),
}

export default implement(contract, {
  async list(call) {
    const { search = '', sort } = call.input
    const { processes, truncated } = await look(call, { type: 'list_processes', payload: {} })
    const wanted = search.toLowerCase()
    const found = processes.filter(({ name, command, user }) =>
      [name, command, user].some((text) => text.toLowerCase().includes(wanted)),
    )
    return { processes: found.sort(orders[sort]), truncated }
  },

  async get(call) {
    return look(call, { type: 'get_process', payload: { pid: call.input.pid } })
  },

  async kill(call) {
    const { pid, signal, startedAt } = call.input
    return act(call, { type: 'kill_process', payload: { pid, signal, startedAt } }, { pid, signal })
  },
})
