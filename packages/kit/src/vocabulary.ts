/**
 * The words of the product that operations are declared with. The product adds them with
 * `declare module '@muster/kit/vocabulary.ts' { interface Vocabulary { permission: …, auditAction: …, callerKind: …, errorCode: … } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by declaration merging
export interface Vocabulary {}

type Word<Name extends string> = Vocabulary extends { readonly [N in Name]: infer W extends string } ? W : string

/** What an audit record says was done. */
export type AuditAction = Word<'auditAction'>
/** What a caller is: a `user` in a session, or what its area adds. */
export type CallerKind = 'user' | Word<'callerKind'>
/** What an error is called in an answer, beside the codes of kit. */
export type AreaErrorCode = Word<'errorCode'>
/** What a role allows. `*:*` allows everything. */
export type Permission = Word<'permission'> | '*:*'

const statuses = new Map<string, number>()

/** Declares error codes with their HTTP statuses. */
export function errorCodes<const Codes extends Readonly<Record<string, number>>>(codes: Codes): Codes {
  for (const [code, status] of Object.entries(codes)) statuses.set(code, status)
  return codes
}

/** The HTTP status of an error code; 500 if none is declared. */
export const statusOfCode = (code: string): number => statuses.get(code) ?? 500
