import { implement } from '../../operation.ts'
import { tasks as contract } from './tasks.contract.ts'
import { act, look } from './tools.ts'

export default implement(contract, {
  async list(call) {
    return look(call, { type: 'list_tasks', payload: {} })
  },

  async get(call) {
    return look(call, { type: 'get_task', payload: { path: call.input.path } })
  },

  async history(call) {
    const { path, limit } = call.input
    return look(call, { type: 'get_task_history', payload: { path, limit } })
  },

  async run(call) {
    const { path } = call.input
    return act(call, { type: 'run_task', payload: { path } }, { path })
  },

  async enable(call) {
    const { path } = call.input
    return act(call, { type: 'enable_task', payload: { path } }, { path })
  },

  async disable(call) {
    const { path } = call.input
    return act(call, { type: 'disable_task', payload: { path } }, { path })
  },
})
