import type { Permission } from '@muster/kit/vocabulary.ts'
import { commandType } from '../../../../control/commands/index.ts'
import type { ActionOf } from './actions.contract.ts'

/** What the owner of an order needs beside the permission for deployments. */
export const permissionsOfOrder = (order: ActionOf<'deploy'>['order']): Permission[] => [
  order.kind === 'script' ? 'scripts:execute' : commandType(order.type).permission,
]
