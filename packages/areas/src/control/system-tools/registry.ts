import { implement } from '../../operation.ts'
import { registry as contract } from './registry.contract.ts'
import { act, look } from './tools.ts'

const done = { success: true } as const

/** The input without its device: what the agent gets, and what the audit log shows of it. */
const placeOf = <Input extends { deviceId: string }>({ deviceId: _, ...place }: Input): Omit<Input, 'deviceId'> => place

export default implement(contract, {
  async keys(call) {
    return look(call, { type: 'list_registry_keys', payload: placeOf(call.input) })
  },

  async values(call) {
    const place = placeOf(call.input)
    return act(call, { type: 'list_registry_values', payload: place }, place)
  },

  async getValue(call) {
    const place = placeOf(call.input)
    return act(call, { type: 'get_registry_value', payload: place }, place)
  },

  async setValue(call) {
    const { data, ...place } = placeOf(call.input)
    await act(call, { type: 'set_registry_value', payload: { ...place, data } }, place)
    return done
  },

  async deleteValue(call) {
    const place = placeOf(call.input)
    await act(call, { type: 'delete_registry_value', payload: place }, place)
    return done
  },

  async createKey(call) {
    const place = placeOf(call.input)
    await act(call, { type: 'create_registry_key', payload: place }, place)
    return done
  },

  async deleteKey(call) {
    const place = placeOf(call.input)
    await act(call, { type: 'delete_registry_key', payload: place }, place)
    return done
  },
})
