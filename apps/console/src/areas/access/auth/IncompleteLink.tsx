import { Link } from '@tanstack/react-router'
import { linkClass, Step } from './Gate.tsx'

/** A link from an email without its token. */
export function IncompleteLink({ title }: { readonly title: string }) {
  return (
    <Step title={title} lead="The link is incomplete. Open it from the email again, or copy the whole address.">
      <Link to="/login" className={linkClass}>
        Go to sign-in
      </Link>
    </Step>
  )
}
