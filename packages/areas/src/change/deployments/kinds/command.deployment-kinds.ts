import { deploymentKind, outcomeOf } from '../../../background/deployment-kind.ts'
import { commandType, validateOrder } from '../../../control/commands/index.ts'
import { CommandOrder } from './command-order.contract.ts'

/** A command as such, as a person could send it to each device. */
export const commandDeployments = deploymentKind({
  kind: 'command',
  order: CommandOrder,

  permissions: ({ type }) => [commandType(type).permission, 'devices:execute'],

  async prepare({ caller }, { type, payload }) {
    const order = validateOrder(caller, { type, payload, respectMaintenance: true }, 0)
    const { expiresInSeconds } = commandType(type)
    return {
      type,
      payload: CommandOrder.shape.payload.parse(order.payload),
      timeoutMs: order.timeoutMs,
      expiresInSeconds,
      subject: null,
      perDevice: [],
    }
  },

  forDevices: async () => ({ left: [] }),

  outcomesOf: async (_db, _work, ended) => new Map(ended.map((command) => [command.commandId, outcomeOf(command)])),
})
