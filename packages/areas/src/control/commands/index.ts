// What other areas may use of commands.
export { withdrawApprovals } from './approvals/approval.queries.ts'
export { requireToolReach } from './bulk/blast-radius.ts'
export type { CommandRegistry } from './command-registry.ts'
export { cancelCommands, type Target, targetById } from './commands.queries.ts'
export { askable, askDevice, type Question } from './delivery/ask-device.ts'
export { publishCommands } from './delivery/deliver-command.ts'
export { frameToOrder, type Instruction, OrderSigner, workerSignerOf } from './delivery/order-signer.ts'
