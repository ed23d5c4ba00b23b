import { implement } from '../../operation.ts'
import { registry as contract } from './registry.contract.ts'
import { act, look } from './tools.ts'

const done = { success: true } as const

export default implement(contract, {
  async keys(call) {
    const { hive, path } = call.input
    return look(call, { type: 'list_registry_keys', payload: { hive, path } })
  },

  async values(call) {
    const { hive, path } = call.input
    return act(call, { type: 'list_registry_values', payload: { hive, path } }, { hive, path })
  },

  async getValue(call) {
    const { hive, path, name } = call.input
    return act(call, { type: 'get_registry_value', payload: { hive, path, name } }, { hive, path, name })
  },

  async setValue(call) {
    const { hive, path, name, type, data } = call.input
    const value = { hive, path, name, type, data }
    await act(call, { type: 'set_registry_value', payload: value }, { hive, path, name, type })
    return done
  },

  async deleteValue(call) {
    const { hive, path, name } = call.input
    await act(call, { type: 'delete_registry_value', payload: { hive, path, name } }, { hive, path, name })
    return done
  },

  async createKey(call) {
    const { hive, path } = call.input
    await act(call, { type: 'create_registry_key', payload: { hive, path } }, { hive, path })
    return done
  },

  async deleteKey(call) {
    const { hive, path } = call.input
    await act(call, { type: 'delete_registry_key', payload: { hive, path } }, { hive, path })
    return done
  },
})
