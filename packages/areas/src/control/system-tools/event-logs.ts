import { implement } from '../../operation.ts'
import { eventLogs as contract } from './event-logs.contract.ts'
import { look } from './tools.ts'

export default implement(contract, {
  async list(call) {
    return look(call, { type: 'list_event_logs', payload: {} })
  },

  async get(call) {
    return look(call, { type: 'get_event_log', payload: { name: call.input.name } })
  },

  async events(call) {
    const { deviceId: _device, ...payload } = call.input
    return look(call, { type: 'list_events', payload })
  },

  async event(call) {
    const { name, recordId } = call.input
    return look(call, { type: 'get_event', payload: { name, recordId } })
  },
})
