import { transactionOf } from '@muster/db/transaction.ts'
import { type FieldValue, fieldDefinitions, valueFrom } from '../../../../fleet/custom-fields/index.ts'
import { changeEvents, mergeCustomValues } from '../../../../fleet/devices/index.ts'
import { actionKind, failed, succeeded, type TaskState } from './action-kind.ts'

export const setField = actionKind({
  type: 'set_field',
  on: 'devices',
  permissions: () => ['devices:write'],
  async begin({ db, events }, tasks) {
    const transaction = transactionOf(db)
    const deviceIds = tasks.flatMap(({ device }) => device?.id ?? [])
    const keys = [...new Set(tasks.map(({ action }) => action.key))]
    const definitions = await fieldDefinitions(transaction, deviceIds, keys)
    const values = new Map<string, Record<string, FieldValue>>()
    const states = new Map<string, TaskState>()
    for (const { id, device, action } of tasks) {
      const definition = definitions.get(`${device?.id} ${action.key}`)
      if (device === null || definition === undefined) {
        states.set(id, failed(`There is no field ${action.key}`))
        continue
      }
      const given = valueFrom(definition, action.value === null ? '' : String(action.value))
      if ('fault' in given) states.set(id, failed(given.fault))
      else {
        values.set(device.id, { ...values.get(device.id), [action.key]: given.value })
        states.set(id, succeeded)
      }
    }
    if (values.size > 0) events.push(...changeEvents('customFields', await mergeCustomValues(transaction, values)))
    return states
  },
})
