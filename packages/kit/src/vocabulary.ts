/**
 * The words of the product that operations are declared with. The product adds them with
 * `declare module '@muster/kit/vocabulary.ts' { interface Vocabulary { permission: …, auditAction: …, callerKind: … } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by declaration merging
export interface Vocabulary {}

type Word<Name extends string> = Vocabulary extends { readonly [N in Name]: infer W extends string } ? W : string

/** What an audit record says was done. */
export type AuditAction = Word<'auditAction'>
/** What a caller is: a `user` in a session, or what its area adds. */
export type CallerKind = 'user' | Word<'callerKind'>
/** What a role allows. `*:*` allows everything. */
export type Permission = Word<'permission'> | '*:*'
