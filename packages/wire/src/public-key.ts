import { z } from 'zod'

/**
 * Every encoding of a point of small order, with both signs and unreduced. Anyone can make signatures that verify with such
 * a key, so every machine could pose as that device.
 */
const smallOrder = new Set([
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA',
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA',
  'JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU',
  'JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_IU',
  'xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o',
  'xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA_o',
  '7P_______________________________________38',
  '7P________________________________________8',
  '7f_______________________________________38',
  '7f________________________________________8',
  '7v_______________________________________38',
  '7v________________________________________8',
])

/** The raw 32 bytes of an Ed25519 key in base64url, in their canonical encoding. */
export const PublicKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, { error: 'must be a raw Ed25519 public key in base64url' })
  .refine((key) => !smallOrder.has(key), { error: 'must not be a point of small order: make a new key pair' })
