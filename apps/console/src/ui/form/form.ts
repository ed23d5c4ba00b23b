import { zodResolver } from '@hookform/resolvers/zod'
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form'
import type { z } from 'zod'

/**
 * A form that is checked by the server's own schema: the input of the operation, or a part of it. It is checked when it is
 * submitted, because messages that appear earlier move what the user is about to click.
 */
export const useSchemaForm = <In extends FieldValues, Out>(
  schema: z.ZodType<Out, In>,
  defaultValues: DefaultValues<In>,
) => useForm<In, unknown, Out>({ resolver: zodResolver(schema), defaultValues, mode: 'onSubmit' })
