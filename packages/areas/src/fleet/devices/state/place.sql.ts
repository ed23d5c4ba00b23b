import { sql } from 'kysely'

/**
 * The place of a device among ten thousand, always the same for a key, as an expression on `devices`. Work that is started
 * again with the same key begins with the same devices, so that repeated starts do not reach more.
 */
export const place = (key: string) =>
  sql<number>`(('x' || substr(md5(${key}::text || devices.id::text), 1, 8))::bit(32)::bigint % 10000)`
