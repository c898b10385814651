/** Check of findings on what single answers under load violate. */
export const passiveCheck = "passive-validation";
