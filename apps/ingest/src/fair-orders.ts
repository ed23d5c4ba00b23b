import type { DeliveryOrder } from '@muster/backplane/routing.ts'

interface Parcel {
  id: Buffer
  orders: readonly DeliveryOrder[]
  next: number
  bytes: number
}

/**
 * A fair queue of orders. Each flow (the orders of one tenant) keeps its order. Flows get equal shares in turn, so one
 * command does not wait behind ten thousand of another tenant.
 */
export class FairOrders {
  // A flow that used its share moves to the end.
  readonly #flows = new Map<string, Parcel[]>()
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** Of entries that are not finished: the orders of an entry share one buffer, which is held until the last one ran. */
  get bytes(): number {
    return this.#bytes
  }

  add(flow: string, id: Buffer, orders: readonly DeliveryOrder[], bytes = 0): void {
    const parcels = this.#flows.get(flow)
    const parcel = { id, orders, next: 0, bytes }
    if (parcels === undefined) this.#flows.set(flow, [parcel])
    else parcels.push(parcel)
    this.#size += orders.length
    this.#bytes += bytes
  }

  /** Runs up to `count` orders, at most `share` of a flow before the next. @returns the entry IDs whose orders all ran */
  take(count: number, share: number, obey: (order: DeliveryOrder, flow: string) => void): Buffer[] {
    const done: Buffer[] = []
    let taken = 0
    for (const [flow, parcels] of this.#flows) {
      if (taken >= count) break
      taken += this.#takeOf(parcels, Math.min(share, count - taken), (order) => obey(order, flow), done)
      this.#flows.delete(flow)
      if (parcels.length > 0) this.#flows.set(flow, parcels)
    }
    this.#size -= taken
    return done
  }

  #takeOf(parcels: Parcel[], most: number, obey: (order: DeliveryOrder) => void, done: Buffer[]): number {
    let taken = 0
    for (let [parcel] = parcels; parcel !== undefined; [parcel] = parcels) {
      for (; parcel.next < parcel.orders.length; parcel.next++) {
        const order = parcel.orders[parcel.next]
        if (taken === most) return taken
        if (order !== undefined) obey(order)
        taken++
      }
      done.push(parcel.id)
      this.#bytes -= parcel.bytes
      parcels.shift()
    }
    return taken
  }
}
