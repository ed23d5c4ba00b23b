import { randomUUID } from 'node:crypto'
import type { DeliveryKind } from '@muster/areas/background/delivery-kind.ts'
import { testServices } from './services.ts'

/** A kind of deliveries of one test file: files that run at the same time, with other keys and peers, leave them alone. */
export interface OwnKind {
  readonly kind: DeliveryKind
  /** Makes a lane one of this kind. */
  take(lane: string): Promise<void>
}

export function ownKind(of: DeliveryKind): OwnKind {
  const kind = { ...of, name: `${of.name}-${randomUUID()}` }
  return {
    kind,
    async take(lane) {
      const { system } = await testServices()
      await system.query('UPDATE delivery_lanes SET kind = $2 WHERE lane = $1', [lane, kind.name])
    },
  }
}
