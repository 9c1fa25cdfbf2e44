extension DataType {
  /// The name shown to people.
  package var localizedName: LocalizedName {
    switch self {
    case .position: LocalizedName("Posizione", "Position")
    case .heartRate: LocalizedName("Frequenza cardiaca", "Heart rate")
    case .bloodPressureSystolic:
      LocalizedName(
        "Pressione sistolica (massima)", "Systolic blood pressure")
    case .bloodPressureDiastolic:
      LocalizedName(
        "Pressione diastolica (minima)", "Diastolic blood pressure")
    case .oxygenSaturation: LocalizedName("Saturazione dell'ossigeno", "Oxygen saturation")
    case .respiratoryRate: LocalizedName("Frequenza respiratoria", "Respiratory rate")
    case .bodyTemperature: LocalizedName("Temperatura corporea", "Body temperature")
    case .bloodGlucose: LocalizedName("Glicemia", "Blood glucose")
    case .weight: LocalizedName("Peso", "Weight")
    case .height: LocalizedName("Altezza", "Height")
    case .steps: LocalizedName("Passi", "Steps")
    case .walkingRunningDistance:
      LocalizedName(
        "Distanza a piedi e di corsa", "Walking and running distance")
    case .standHours: LocalizedName("Ore in piedi", "Stand hours")
    case .activeEnergy: LocalizedName("Energia attiva", "Active energy")
    case .restingEnergy: LocalizedName("Energia a riposo", "Resting energy")
    case .nutritionEnergy: LocalizedName("Energia assunta", "Dietary energy")
    case .sleepHours: LocalizedName("Ore di sonno", "Hours of sleep")
    case .speed: LocalizedName("Velocità", "Speed")
    case .ambientPressure: LocalizedName("Pressione atmosferica", "Air pressure")
    case .activity: LocalizedName("Al chiuso o all'aperto", "Indoors or outdoors")
    case .fall: LocalizedName("Caduta", "Fall")
    case .shaking: LocalizedName("Tremore", "Shaking")
    case .ecg: LocalizedName("Elettrocardiogramma", "Electrocardiogram")
    }
  }
}
