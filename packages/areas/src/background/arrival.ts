// What devices are sent when they connect, declared by the area that it belongs to.
import type { Connected } from '@muster/backplane/batch.ts'
import { counter } from './counter.ts'
import type { WorkerParts } from './worker-parts.ts'

/** A connection that a gateway accepted. */
export interface Hello {
  readonly deviceId: string
  readonly body: Connected
}

export interface Arrival {
  /** The label of its frames in `orders_routed_total`. */
  readonly name: string
  /** Sends what waits for the devices. A failure is logged and not retried. @returns the number of frames */
  send(parts: WorkerParts, hellos: readonly Hello[]): Promise<number>
}

export const ordersRouted = counter('orders_routed_total', 'Frames handed to gateways for their devices', ['why'])

export const arrival = (declared: Arrival): Arrival => declared
