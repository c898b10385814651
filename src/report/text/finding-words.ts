import type { Finding } from "../../core/result/finding.ts";

const rowsListed = 8;

/** The id, and what is violated where the id does not say it. */
export function findingTitle({ id, requirement, check }: Finding): string {
  const violated = requirement ?? check;
  return id.startsWith(violated) ? id : `${id} ${violated}`;
}

/** `also violates ERR-022, STRM-010`; null where the defect violates one requirement. */
export function alsoWords({ also }: Finding): string | null {
  if (also.length === 0) return null;
  const rest = also.length > rowsListed ? ` and ${also.length - rowsListed} more` : "";
  return `also violates ${also.slice(0, rowsListed).join(", ")}${rest}`;
}

/** Further requests that show the defect, without the one that the finding shows in full. */
export function otherForms({ forms, sent, exchanges }: Finding): Finding["forms"] {
  return forms.filter((form) => form.sent !== sent && (form.exchange !== exchanges[0] || form.exchange === 0));
}
