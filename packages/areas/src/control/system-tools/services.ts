import type { Call } from '../../operation.ts'
import { implement } from '../../operation.ts'
import { services as contract } from './services.contract.ts'
import { act, look } from './tools.ts'

type Control = 'start_service' | 'stop_service' | 'restart_service'

export default implement(contract, {
  async list(call) {
    const { search = '', state } = call.input
    const { services, truncated } = await look(call, { type: 'list_services', payload: {} })
    const wanted = search.toLowerCase()
    const found = services.filter(
      (service) =>
        (state === undefined || service.state === state) &&
        `${service.name} ${service.displayName ?? ''}`.toLowerCase().includes(wanted),
    )
    return { services: found, truncated }
  },

  async get(call) {
    return look(call, { type: 'get_service', payload: { name: call.input.name } })
  },

  start: (call) => control(call, 'start_service'),
  stop: (call) => control(call, 'stop_service'),
  restart: (call) => control(call, 'restart_service'),
})

function control(call: Call<{ deviceId: string; name: string }>, type: Control) {
  const { name } = call.input
  return act(call, { type, payload: { name } }, { service: name })
}
